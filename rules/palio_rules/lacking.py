"""What an optional part says where a library of its extra is not installed."""


def needs(error: ModuleNotFoundError, what: str, extra: str) -> ModuleNotFoundError:
    """What to raise instead of `error`: a sentence that names the extra; the error itself if a module of ours is gone.

    >>> str(needs(ModuleNotFoundError("...", name="numpy.linalg"), "an environment", "rl"))
    "an environment needs numpy, which is not installed; pip install 'palio[rl]'"
    """
    missing = (error.name or "").partition(".")[0]
    if not missing or missing.startswith("palio") or "palio[" in str(error):
        return error
    sentence = f"{what} needs {missing}, which is not installed; pip install 'palio[{extra}]'"
    return ModuleNotFoundError(sentence, name=missing)
