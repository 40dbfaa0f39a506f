"""How the desk's lists and templates write dates (`FORMAT_MODULE_PATH`)."""
