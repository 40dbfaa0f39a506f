"""Everything public, of one content version, in the memory of each process."""
