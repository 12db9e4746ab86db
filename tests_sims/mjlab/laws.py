"""Our laws of mjlab on PyTorch, which is what mjlab itself computes with."""

from backemf.engines import bind, load
from backemf.sims.mjlab import delay as delay_law
from backemf.sims.mjlab import law as actuator_law
from backemf.sims.mjlab import learned as learned_law

ops = load("torch").ops
law = bind(actuator_law, "torch", ops)
delay = bind(delay_law, "torch", ops)
learned = bind(learned_law, "torch", ops)
