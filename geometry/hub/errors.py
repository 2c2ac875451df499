"""The errors of a model or a data set that can't be fetched or read, and of the operator's file."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import GeometryError

LONGEST_QUOTE = 200  # characters of another library's message


class ModelFilesError(GeometryError, RuntimeError):
    """Files of a model are missing, may not be used, or are not those they should be."""

    subject = "model"


class DataSetError(ModelFilesError):
    """A data set of the Hugging Face Hub can't be fetched; the codes are those of a model."""

    subject = "data_set"


class OperatorFileError(GeometryError):
    """The named operator's file is missing, or its content is not valid."""

    subject = "operator"


@contextmanager
def converting_faults(name: str) -> Iterator[None]:
    """A context that raises faults of a model as ModelFilesError "broken"."""
    try:
        yield
    except BaseException as error:
        if not is_fault_of_the_model(error):
            raise
        raise ModelFilesError("broken", name=name, said=first_line_of(error)) from error


def is_fault_of_the_model(error: BaseException) -> bool:
    """Whether a model's files caused the error, and no ModelFilesError gives the reason already."""
    if not isinstance(error, Exception):
        # a panic in Rust, as of tokenizers; its class derives from BaseException
        return type(error).__name__ == "PanicException"
    if isinstance(error, OSError):
        return error.errno is None  # transformers raises OSError without errno for bad settings
    if isinstance(error, ModelFilesError | MemoryError):
        return False
    import torch

    is_named = isinstance(error, torch.OutOfMemoryError)
    return not is_named and "can't allocate memory" not in str(error)  # torch's words on a CPU


def first_line_of(error: BaseException) -> str:
    """The class and the first line of a foreign error, cut where it is long."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:LONGEST_QUOTE].rstrip(". ")
