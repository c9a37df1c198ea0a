package acme

// SweepOwn is a tick of the install's own hosts, of which there is one.
var SweepOwn = (*Issuer).sweepOwn
