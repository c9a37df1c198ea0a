package bot

// Table lists the signals in the order of their bits.
func Table() []Signal { return table[:] }
