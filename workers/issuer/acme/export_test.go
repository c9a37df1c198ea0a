package acme

// SweepOwn sweeps one of the install's own hosts once.
var SweepOwn = (*Issuer).sweepOwn
