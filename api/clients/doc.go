// Package clients holds the clients of the API: the folder go for programs in Go, and the folder ts for programs in TypeScript.
package clients
