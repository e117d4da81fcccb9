"""ANOTHER MACHINE'S DATA: the client of a Privet server, whose fits feel as local ones."""

from privet.client.client import Client, connect
from privet.client.dataset import RemoteDataset, RemotePlan
from privet.client.problems import ServerError

__all__ = ["Client", "RemoteDataset", "RemotePlan", "ServerError", "connect"]
