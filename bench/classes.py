#!/usr/bin/python3
"""scikit-learn's numbers for the models and rows of sql/classes.sql, as that test has them.

60 rows of three features, in steps of 1/4; the label is the class of a rule of its own, every seventh one is another,
and every tenth is one that the models do not know. Three classes by the scores of a matrix: one against the rest
(logistic), and together (multinomial). Weights are 1, 2 and 3 in turn.
"""
import numpy as np
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, log_loss, precision_score, recall_score, roc_auc_score

names = np.array(["bill", "other", "spam"])
coefficients = np.array([[1.0, -0.5, 0.25], [-0.75, 1.0, 0.5], [0.5, 0.25, -1.0]])
intercepts = np.array([0.25, -0.125, 0.5])

i = np.arange(1, 61)
x = np.stack([(i * 7 % 11 - 5) / 4, (i * 5 % 13 - 6) / 4, (i * 3 % 7 - 3) / 4], axis=1)
label = names[(np.abs(x[:, 0] * 4 + x[:, 1] * 8 + i % 2) % 3).astype(int)]
label = np.where(i % 7 == 0, np.roll(label, 1), label)
weight = i % 3 + 1.0
scores = x @ coefficients.T + intercepts
predicted = names[scores.argmax(axis=1)]


def show(title, *numbers):
    print(title, *(repr(float(n)) for n in numbers))


def measure(title, label, weight):
    macro = dict(average="macro", zero_division=0, sample_weight=weight)
    show(title, accuracy_score(label, predicted, sample_weight=weight), precision_score(label, predicted, **macro),
         recall_score(label, predicted, **macro), f1_score(label, predicted, **macro))


sigmoid = 1 / (1 + np.exp(-scores))
rest = sigmoid / sigmoid.sum(axis=1, keepdims=True)
softmax = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
measure("plain", label, None)
measure("weighted", label, weight)
show("log loss: rest, weighted; multinomial, weighted", log_loss(label, rest, labels=names),
     log_loss(label, rest, labels=names, sample_weight=weight), log_loss(label, softmax, labels=names),
     log_loss(label, softmax, labels=names, sample_weight=weight))
print(confusion_matrix(label, predicted, labels=names, sample_weight=weight))
measure("with unknown classes", np.where(i % 10 == 0, "news", np.where(i % 25 == 0, "ads", label)), weight)
positive, margin = label == "spam", scores[:, 2]
show("two classes: accuracy, precision, recall, f1, auc, log loss", accuracy_score(positive, margin > 0),
     precision_score(positive, margin > 0), recall_score(positive, margin > 0), f1_score(positive, margin > 0),
     roc_auc_score(positive, margin), log_loss(positive, sigmoid[:, 2]))
