"""THE SERVER: many people, one ledger.

One application: the REST API ``/api/v1``, the workbench's pages, and the workers that run what is queued.
It runs the use cases of ``privet.service``, as the command line does, and sees no row: a dataset is a name,
which the session of a run resolves to the file that its owner has stored here.
"""
