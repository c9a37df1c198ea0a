package acme

// RenewOwn sweeps one of the install's own hosts once.
var RenewOwn = (*Issuer).renewOwn
