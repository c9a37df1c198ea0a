// Package form has the request bodies with which records are created and replaced. It also has the checks of these bodies that
// the tags of package bind cannot express. The API decodes the bodies from requests, and workers decode them from a document with
// the settings of an account. Record does not read the database: the store checks references and names.
package form
