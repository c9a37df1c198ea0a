// Package smoke tests a service from outside. It sets up an account through the API, sends visitors of many countries and devices
// through the tracking links, reports conversions, and receives the webhooks. Then it compares every figure in the service's
// answers with the sums that this package has kept itself.
//
// The sums use none of the service's own code. The data files describe the visitors. The tables in scenario.go decide where a
// visitor goes, and convert.go decides how much a conversion pays. money.go and sales.go decide what Everflow and Meta report, and ads.go
// what the platforms of adplatforms.go report. These platforms are fakes that use the published formats of the real platforms. To
// test one more platform, add a row to the table adPlatforms.
package smoke
