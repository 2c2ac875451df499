"""The errors of a model or a data set that can't be fetched or read, and of the operator's file."""

from ..errors import GeometryError


class ModelFilesError(GeometryError, RuntimeError):
    """Files of a model are missing, may not be used, or are not those they should be."""

    subject = "model"


class DataSetError(ModelFilesError):
    """A data set of the Hugging Face Hub can't be fetched; the codes are those of a model."""

    subject = "data_set"


class OperatorFileError(GeometryError):
    """The named operator's file is missing, or its content is not valid."""

    subject = "operator"
