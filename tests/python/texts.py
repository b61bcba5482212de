"""Functions of a text: of a file, since nvm reads the source of functions."""


def function_of(text, folder):
    """The function f that a text defines, from a file in the folder."""
    path = folder / "functions.py"
    path.write_text(text)
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["f"]
