"""skorch: a classifier with scikit-learn's interface, in a pipeline and a grid search."""

import numpy as np
from fixed import filled, show
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier
from torch import nn


class Network(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 2), nn.Softmax(dim=-1))
        filled(self)

    def forward(self, X):
        return self.layers(X)


X = np.sin(np.arange(240, dtype=np.float32) * 3.7).reshape(60, 4)
y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
net = NeuralNetClassifier(Network, max_epochs=5, lr=0.1, iterator_train__shuffle=False, verbose=0, train_split=None)
net.fit(X, y)
show("losses", net.history[:, "train_loss"])
show("probabilities", net.predict_proba(X)[:5].ravel())
pipeline = make_pipeline(StandardScaler(), net)
pipeline.fit(X, y)
show("score", pipeline.score(X, y))
search = GridSearchCV(net, {"lr": [0.05, 0.2], "module__hidden": [8, 16]}, cv=2, scoring="accuracy", refit=False)
search.fit(X, y)
show("search", search.cv_results_["mean_test_score"])
