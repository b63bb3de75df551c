"""geoopt: optimizers on manifolds."""

import geoopt
from fixed import numbers, show

ball = geoopt.PoincareBall()
x = ball.projx(numbers(5, 3))
p = geoopt.ManifoldParameter(x * 0.5, manifold=ball)
optimizer = geoopt.optim.RiemannianAdam([p], lr=0.05)
for _ in range(4):
    optimizer.zero_grad()
    loss = ball.dist(p, x).sum()
    loss.backward()
    optimizer.step()
    show("ball", loss)
stiefel = geoopt.Stiefel()
q = geoopt.ManifoldParameter(stiefel.projx(numbers(5, 3)), manifold=stiefel)
optimizer = geoopt.optim.RiemannianSGD([q], lr=0.1, momentum=0.9)
for _ in range(3):
    optimizer.zero_grad()
    loss = (q @ numbers(3, 3)).pow(2).sum()
    loss.backward()
    optimizer.step()
    show("stiefel", loss)
