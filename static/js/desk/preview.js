// The desk's own behaviours live in this folder, one file each.
