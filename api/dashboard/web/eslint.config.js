import parser from '@typescript-eslint/parser'
import hooks from 'eslint-plugin-react-hooks'
import { circleRule, floorRule } from './eslint/imports.js'

const length = max => ['error', { max, skipBlankLines: true, skipComments: true }]

// long holds the functions of more than 150 lines that are still to be cut: the file, and the lines of its longest function.
const long = {
}

export default [
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    ignores: ['src/**/*.gen.ts'],
    languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { 'react-hooks': hooks, imports: { rules: { floor: floorRule, circle: circleRule } } },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'max-lines-per-function': length(150),
      'imports/floor': 'error',
      'imports/circle': 'error',
    },
  },
  ...Object.entries(long).map(([file, max]) => ({ files: ['src/' + file], rules: { 'max-lines-per-function': length(max) } })),
]
