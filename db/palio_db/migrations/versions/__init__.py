"""One file a version, oldest first by `revision`."""
