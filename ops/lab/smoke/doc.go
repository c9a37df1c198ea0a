// Package smoke proves a service from outside: it sets up an account through the API, sends visitors of many
// countries and devices through the tracking links, reports conversions, takes the webhooks, and then holds every
// figure that the service answers against sums that it kept itself.
//
// Nothing of the service's own code takes part in the sums: what a visitor is comes from the data files, where a
// visitor goes from the tables in scenario.go, what a conversion is worth from convert.go, what a network and an ad
// platform say from money.go and sales.go.
package smoke
