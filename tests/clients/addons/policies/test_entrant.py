"""A spec names a policy; whatever is wrong with it, or with its weights, is one sentence with the remedy."""

import sys

import pytest

from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import load
from palio_rules.registry import games

TWO = "class One:\n    def act(self, o, m): ...\n\nclass Two:\n    def predict(self, o): ...\n"


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("policy:./trained.py", "trained"),
        ("policy:./trained.py:Policy", "trained-Policy"),
        ("policy:./trained.py:Policy:seed=3", "trained-Policy-seed3"),
        ("policy:trained.py:seed=3", "trained-seed3"),
        ("policy:trained_here:Policy:seed=3", "trained_here-Policy-seed3"),
        ("policy:models.deep:Policy", "models.deep-Policy"),
    ],
)
def test_a_policy_is_named_by_its_file_or_its_module(write, monkeypatch, spec, name):
    for file in ("trained.py", "trained_here.py", "models/__init__.py", "models/deep.py"):
        write(file)
    for module in ("trained_here", "models", "models.deep"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    found = load(spec)
    assert (found.name, found.games, found.about) == (name, ("breakthrough",), "Any legal action.")


def test_a_policy_that_names_no_games_plays_all_that_can_be_encoded(write):
    write("trained.py", "class Policy:\n    def act(self, observation, action_mask): ...\n")
    assert load("policy:./trained.py").games == games()


def test_a_class_that_others_are_made_from_is_not_meant(write):
    write("trained.py", "class Base:\n    def act(self, o, m): ...\n\nclass Mine(Base):\n    games = ('chexers',)\n")
    assert load("policy:./trained.py").games == ("chexers",)


def test_a_function_and_an_object_are_policies_too(write):
    write("trained.py", "class P:\n    def act(self, o, m): ...\n\nmodel = P()\n\ndef best(o, m): return m.argmax()\n")
    assert load("policy:./trained.py:model").games == games()
    assert load("policy:./trained.py:best").name == "trained-best"


MODEL = "from elsewhere import Model\n\ndef loaded(path): return Model()\n\n"


@pytest.fixture
def elsewhere(write, monkeypatch):
    write("elsewhere.py", "class Model:\n    def predict(self, observation): ...\n")
    monkeypatch.delitem(sys.modules, "elsewhere", raising=False)


def test_the_one_model_that_a_file_loads_needs_no_name(write, elsewhere):
    write("trained.py", MODEL + "model = loaded('model.zip')\n")
    assert load("policy:./trained.py").name == "trained"


def test_of_several_models_one_has_to_be_named(write, elsewhere):
    write("trained.py", MODEL + "young = loaded('1.zip')\nold = loaded('2.zip')\n")
    with pytest.raises(BadBot, match=r"choose one: policy:\./trained\.py:old or policy:\./trained\.py:young"):
        load("policy:./trained.py")


@pytest.mark.parametrize("spec", ["policy:./trained.py", "policy:trained_there:model"])
def test_a_library_that_the_policy_needs_is_named_with_the_python_that_lacks_it(write, monkeypatch, spec):
    for file in ("trained.py", "trained_there.py"):
        write(file, "import sb3_contrib_absent.common\n")
    monkeypatch.delitem(sys.modules, "trained_there", raising=False)
    with pytest.raises(BadBot) as told:
        load(spec)
    sentence = str(told.value)
    assert "No module named 'sb3_contrib_absent'" in sentence
    assert sentence.count(f"installed in {sys.prefix}") == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("policy:", r"names no policy; write policy:\./file\.py:Class or policy:module:Class"),
        ("policy:./nowhere.py", "there is no file 'nowhere.py'; check the path"),
        ("policy:no_such_module:Policy", "no_such_module cannot be imported: ModuleNotFoundError"),
        ("policy:./trained.py:Polcy", "has no policy called 'Polcy'; did you mean 'Policy'"),
        ("policy:./trained.py:np", r"'np' in \./trained\.py is no policy; give it a method act"),
        ("policy:./trained.py:Policy:sede=3", "Policy has no setting 'sede'; did you mean 'seed'"),
        ("policy:./trained.py:Policy:seed=x", "Policy setting seed='x': expected `int`"),
        ("policy:./trained.py:Policy:seed=1,seed=2", "sets 'seed' twice"),
        (
            "policy:./trained.py:path=gone.npz",
            r"Policy\(path=gone\.npz\) cannot be made: FileNotFoundError: .*gone\.npz",
        ),
        ("policy:./two.py", "has 2 policies; choose one: policy:./two.py:One or policy:./two.py:Two"),
        ("policy:./none.py", r"none\.py has no policy; write a class with a method act"),
        ("policy:./none.py:model:seed=1", "model is no class, and so has no settings; leave out seed"),
        ("policy:./broken.py", r"broken\.py cannot be loaded: SyntaxError"),
        ("policy:./ludo.py", r"Policy\.games: unknown game 'ludo'"),
    ],
)
def test_a_spec_that_cannot_be_meant_is_reported_with_the_remedy(write, spec, message):
    write("trained.py")
    write("two.py", TWO)
    write("none.py", "x = 1\n\ndef model(o, m): ...\n")
    write("broken.py", "def f(:\n")
    write("ludo.py", "class Policy:\n    games = 'ludo'\n    def act(self, o, m): ...\n")
    with pytest.raises(BadBot, match=message):
        load(spec)


def test_a_policy_without_numpy_names_the_extra(write, monkeypatch):
    write("trained.py", "class Policy:\n    def act(self, observation, action_mask): ...\n")
    for name in [name for name in sys.modules if name.startswith("palio_rules.addons.encodings")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(BadBot, match=r"needs numpy, which is not installed; pip install 'palio\[rl\]'"):
        load("policy:./trained.py")


def test_each_match_has_a_policy_of_its_own(write):
    write(
        "trained.py",
        "made = []\n\nclass Policy:\n    def __init__(self): made.append(self)\n    def act(self, o, m): ...\n",
    )
    found = load("policy:./trained.py:Policy")
    made = sys.modules["palio_bot_trained"].made
    assert len(made) == 1  # at once, so that what is wrong is said before anything is played
    bots = [found.make(print)._make() for _ in range(3)]
    assert [bot._policy for bot in bots] == made
