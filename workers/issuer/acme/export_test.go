package acme

// RenewOwn runs the sweep once for one of the install's own hosts.
var RenewOwn = (*Issuer).renewOwn
