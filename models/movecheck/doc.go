// Package movecheck checks a campaign that moved here from another tracker. It makes up visitors, writes the requests to the
// other tracker as a shell script, and reads what that script prints.
package movecheck
