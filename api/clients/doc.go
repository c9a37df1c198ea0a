// Package clients holds the clients of the API: package go for programs in Go, and ts for programs in TypeScript. Its tests make
// the generated files of both from the golden file of the description, see README.md.
package clients
