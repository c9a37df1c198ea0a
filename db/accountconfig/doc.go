// Package accountconfig reads the records of an account into a document, writes the records that a document describes, and stores
// plans. Package models/accountconfig explains documents and plans.
//
// Each record has a key in documents. The key is made from the record's name when the record is first read, and does not change when
// the name changes.
package accountconfig
