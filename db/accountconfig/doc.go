// Package accountconfig reads what an account has set up as a document, writes records that a document describes, and stores plans. See
// models/accountconfig for documents and plans.
//
// Each record has a key. The key is made from the record's name when the account is first read. It does not change when the name does.
package accountconfig
