"""stable-baselines3: PPO and DQN on an environment of its own; what they learn, not the numbers, is compared."""

import gymnasium as gym
import numpy as np
from stable_baselines3 import A2C, DQN, PPO


class Sign(gym.Env):
    """Say whether a number is positive."""

    observation_space = gym.spaces.Box(-1, 1, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps, self.x = 0, self.np_random.uniform(-1, 1, 1).astype(np.float32)
        return self.x, {}

    def step(self, action):
        reward = float((self.x[0] > 0) == bool(action))
        self.steps, self.x = self.steps + 1, self.np_random.uniform(-1, 1, 1).astype(np.float32)
        return self.x, reward, self.steps >= 10, False, {}


for kind, options, steps in (
    (PPO, {"n_steps": 128, "learning_rate": 0.003}, 2000),
    (A2C, {"learning_rate": 0.003}, 2000),
    (DQN, {"learning_starts": 100, "learning_rate": 0.003, "target_update_interval": 100}, 1500),
):
    agent = kind("MlpPolicy", Sign(), seed=0, device="cpu", **options)
    agent.learn(steps)
    right = sum(
        int(agent.predict(np.array([x], np.float32), deterministic=True)[0]) == (x > 0)
        for x in np.linspace(-0.9, 0.9, 10)
    )
    assert right >= 8, (kind, right)
    print(kind.__name__, "learns")
