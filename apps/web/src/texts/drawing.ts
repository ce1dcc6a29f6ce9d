import { inLanguage } from './language.ts'

const en = {
  prerender: {
    marketAnomalyAlerts:
      'Market anomaly alerts that nobody can forge, back-date or quietly drop: each is signed, logged and anchored on a public chain. Check one now, without an account.',
    fromSignUp:
      'From sign-up to a verified alert in four steps: ways to sign in, wallet, plans, checking an alert, and what developers need.',
    everyCallOfTheHttp:
      'Every call of the HTTP API and every message of the live stream, with examples in curl, TypeScript and Python, made from the server’s own schemas.',
    writeToTheOperator: 'Write to the operator of this site. Response times and what to do when money is at risk.',
    wholeAlertLogInFigures:
      'The whole alert log in figures: what it holds, what of it is anchored on chain, and how to check both yourself.',
    whatThisServerKnows: 'What this server knows about you, why, and how to take it with you or delete it.',
    whatYouGet: 'What you get, what it costs, and what nobody can promise.',
    whatProtectsTheAlerts: 'What protects the alerts, your money and your account, and what the proof does not show.',
    nothingStandsAtThisAddress: 'There is nothing at this address.',
    tocsinMarketAlarmsUnder: 'Tocsin · Market alarms, under seal',
    pageNotFound: 'Page Not Found',
  },
  drawnGate: {
    checkingAuthentication: 'Checking authentication...',
  },
}

export const drawingTexts = inLanguage({ en })
