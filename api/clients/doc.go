// Package clients holds the clients of the API: package go for programs in Go, and ts for programs in TypeScript.
package clients
