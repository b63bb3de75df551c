"""Who records, and who watches: state of threads that ops look at. The ground floor: nothing here knows an op."""
