import { inLanguage } from './language.ts'

const en = {
  legalPage: {
    lastUpdated: 'Last updated January 16, 2025',
  },
  article: {
    onThisPage: 'On this page',
  },
  contactSupportPage: {
    contactSupport: 'Contact Support',
    withinTwoHours: '1-2 hours',
    withinSixHours: '4-6 hours',
    withinADay: '24 hours',
    withinThreeDays: '2-3 days',
    criticalIssues: 'Critical issues',
    accountIssues: 'Account issues',
    generalQuestions: 'General questions',
    featureRequests: 'Feature requests',
    howCanWeHelp: 'How can we help?',
    yourMessageGoes: 'Your message goes to the operator of this site.',
    message: 'Message',
    responseTimes: 'Response times',
    emergencyContact: 'Emergency contact',
    isMoneyAtRiskRight:
      'Is money at risk right now? Choose the category “Billing” and begin the subject with URGENT. Such messages are answered first, at any hour.',
    includeTheTransactionHash:
      'Include the transaction hash if it is about a payment. Payments to the treasury are never lost: the server finds them on the chain by itself.',
    staySafe: 'Stay safe',
    weNeverAsk:
      'We never ask for your password, seed phrase or private key, and never write first in a chat. Whoever does is not us.',
  },
  supportForm: {
    messageSent: 'Message Sent',
    couldNotBeSent: 'Your message could not be sent. Please try again.',
    error: 'Error',
    name: 'Name',
    email: 'Email',
    weAnswerToThisAddress: 'We answer to this address.',
    subject: 'Subject',
    category: 'Category',
    optional: 'Optional',
    chooseACategory: 'Choose a category',
    message: 'Message',
    sending: 'Sending…',
    sendMessage: 'Send message',
    neverWritePasswordsOrKeys: 'Never write passwords or keys into it.',
    formNeedsJavascript: 'The form needs JavaScript.',
  },
  supportMessage: {
    account: 'Account',
    subscription: 'Subscription',
    wallet: 'Wallet',
    technicalIssue: 'Technical issue',
    billing: 'Billing',
    other: 'Other',
    atMostCharacters: ({ max }: { max: number }) => `At most ${max} characters`,
    notPlainText: 'Not plain text',
    pleaseEnterYourName: 'Please enter your name',
    pleaseEnterAValidEmail: 'Please enter a valid email address',
    pleaseEnterASubject: 'Please enter a subject',
    pleaseEnterAMessage: 'Please enter a message',
  },
}

export const siteTexts = inLanguage({ en })
