// Package smoke tests a service from outside. It sets up an account through the API, sends visitors of many countries and devices
// through the tracking links, reports conversions, and receives the webhooks. Then it compares every figure in the service's
// answers with its own sums.
//
// The sums use none of the service's own code. The ad platforms are fakes that use the published formats of the real ones. To test
// one more ad platform, add a row to the table adPlatforms.
package smoke
