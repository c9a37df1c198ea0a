// The words that are shown, in the language of the page.
export { en as t } from '../text/en.ts'
