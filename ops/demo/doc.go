// Package demo makes an account to look at: a campaign with everything that a buyer sets up, and traffic on it from
// visitors of many countries and devices. Records and new visitors go through the API and the tracking
// link of a running service, as a customer's would. The days before today, which no visitor can be sent to any more, go
// the way of clicks from the spool on.
package demo
