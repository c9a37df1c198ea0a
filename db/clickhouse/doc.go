// Package clickhouse keeps rows in ClickHouse: tables that are made by Ensure, and batches that are stored once.
//
// What is sent may have been stored although no answer came: a connection was cut, or one of the programs was killed. There
// are two ways to store something once all the same.
//
//   - Put is for rows that have a key. The table's engine keeps one row of a key, so the rows are sent until they are answered.
//   - Once is for rows that are added up, such as those of a ledger. They have a batch number, which is the token that the
//     server refuses repetitions by. A server that is killed between noting a token and storing the rows takes the repetition
//     for a duplicate, so a batch that was not answered at once is asked for: what is missing is sent again under a token of
//     its own. The rows of one partition are there as a whole or not at all.
//
// In both cases the caller must have written down what a number or a key and version stand for, before the first try: a
// repetition has the same rows in any case.
package clickhouse
