// Package assistants is the authorization server by which people connect assistants that take no API key (OAuth 2.1).
//
// A program learns the addresses from the documents below /.well-known, registers itself or publishes a document about itself, and
// sends a person to the dashboard. The person decides there, and the program exchanges the code for tokens. There are only public
// clients, codes with PKCE by S256, and refresh tokens that are replaced at each use. The tokens are valid at /mcp only.
package assistants
