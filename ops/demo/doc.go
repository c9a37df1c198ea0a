// Package demo makes an account to look at: a campaign with everything that a buyer sets up, and traffic on it from
// visitors of many countries and devices. All of it goes through the API and the tracking link of a running service, as
// a customer's would.
package demo
