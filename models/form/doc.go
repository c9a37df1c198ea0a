// Package form has the request bodies with which records are created and replaced. It also has the checks of these bodies that
// the tags of package bind cannot express.
package form
