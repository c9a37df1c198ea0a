// The English texts of the code that a protected landing page needs.
export const words = {
  title: 'Code for the page',
  which: 'Language of the code',
  snippet: 'Code that asks who may see the page',
  text: {
    js: 'Into the page, in a script at the top. It sends away visitors who did not come through a tracking link.',
    php: 'At the very start of the page, before anything is shown.',
  },
}
