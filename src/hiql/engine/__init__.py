"""The only EM: inference for given parameters, passes over the data, climbing, searching, sharing the work out."""
