// Package accountconfig reads what an account has set up as a document, writes records that a document describes, and stores plans. See
// models/accountconfig for documents and plans.
//
// Each record has a key. A record that has none gets one when the account is read: it is made from the record's name, and does not
// change when the name does.
package accountconfig
