"""How much does privacy cost in accuracy? Try several epsilons on data that is public, and draw the curve.

    python examples/compare_epsilons.py

Fitting again and again is free on generated data only: on real data, every fit is paid for.
"""

from __future__ import annotations

from privet import NaiveBayes, evaluate
from privet.demo.patients import patients, public_knowledge
from privet.report import Page, lines

EPSILONS = (0.01, 0.1, 1.0)

table = patients(8000)
training, holdout = table.slice(0, 6000), table.slice(6000)
schema = public_knowledge()

curves: dict[str, list[float]] = {"histogram": [], "gaussian": []}
for numeric, curve in curves.items():
    for epsilon in EPSILONS:
        model = NaiveBayes(epsilon=epsilon, numeric=numeric, schema=schema).fit(training)
        accuracy = evaluate(model, holdout, public=True, measures="confusion").accuracy.value
        curve.append(accuracy)
        print(f"numeric={numeric:<10} epsilon={epsilon:<5} accuracy={accuracy:.3f}")

page = Page("Histograms or normal distributions?", "Accuracy of private naive Bayes on generated patients.")
page.section("Accuracy against epsilon").figure(
    lines(EPSILONS, curves, xlabel="ε", ylabel="accuracy", log_x=True),
    alt="Accuracy of both ways of describing numbers, for each epsilon.",
    caption="One fit each.",
)
print("See", page.write("compare-epsilons.html"))
