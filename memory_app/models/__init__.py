"""Tables of the memory service.

Below the bank every key is composite with `bank_id` first, so that the schema can be distributed by
bank; `organization_id` stands in every row for row-level security and is tied to the bank by a
foreign key made in SQL. Direction: banks < memories < ledger, recalls, proposals, imports, jobs.
"""

from memory_app.models.banks import Bank, BankSlug, BankTerm
from memory_app.models.curation import BulkItem, BulkOperation, SavedView
from memory_app.models.entities import (
    Assertion,
    Entity,
    EntityAlias,
    EntityProbe,
    Mention,
    Relationship,
)
from memory_app.models.evidence import File, PendingDocument, RecallSave
from memory_app.models.expectations import GapDecision, MemoryTest, MemoryTestRun
from memory_app.models.imports import ImportJob, ImportLine
from memory_app.models.jobs import Job
from memory_app.models.ledger import LedgerCheck, LedgerContent, LedgerEntry
from memory_app.models.memories import Cell, Link, Memory, MemoryVersion
from memory_app.models.proposals import MergeProposal, Proposal
from memory_app.models.recalls import Recall
from memory_app.models.reembedding import OtherVector, Reembedding
from memory_app.models.usage import DailyUsage, Digest, IdempotencyKey, RateWindow

__all__ = [
    "Assertion",
    "Bank",
    "BankSlug",
    "BankTerm",
    "BulkItem",
    "BulkOperation",
    "Cell",
    "DailyUsage",
    "Digest",
    "Entity",
    "EntityAlias",
    "EntityProbe",
    "File",
    "GapDecision",
    "IdempotencyKey",
    "ImportJob",
    "ImportLine",
    "Job",
    "LedgerCheck",
    "LedgerContent",
    "LedgerEntry",
    "Link",
    "Memory",
    "MemoryTest",
    "MemoryTestRun",
    "MemoryVersion",
    "Mention",
    "MergeProposal",
    "OtherVector",
    "PendingDocument",
    "Proposal",
    "RateWindow",
    "Recall",
    "RecallSave",
    "Reembedding",
    "Relationship",
    "SavedView",
]
