package acme

// RenewOwn obtains or renews the certificate of one of the install's own hosts, if its check is due.
var RenewOwn = (*Issuer).renewOwn
