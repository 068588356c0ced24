//! Plans as data: what a worker needs to run any task.
