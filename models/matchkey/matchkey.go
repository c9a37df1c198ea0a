// Package matchkey has the hashed personal data by which ad platforms recognize the person of a conversion.
package matchkey

// Keys are the hashes of what is known of a person: SHA-256 in lower-case hexadecimal digits. An empty text means that the value
// is not known. The raw values are never kept.
type Keys struct {
	Email, Phone, FirstName, LastName  string
	Street, City, Region, Zip, Country string
}
