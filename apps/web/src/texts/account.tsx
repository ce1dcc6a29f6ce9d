import type { ReactNode } from 'react'
import { type Around, inLanguage, numberLocale } from './language.ts'

const en = {
  accountFields: {
    email: 'Email',
    password: 'Password',
    atLeastCharacters: ({ minLength }: { minLength: number }) => `At least ${minLength} characters`,
    confirmPassword: 'Confirm password',
  },
  adminAuthPage: {
    accessDenied: 'Access Denied',
    adminPrivilegesRequired: 'Admin privileges required',
    adminSignIn: 'Admin sign-in',
    forAccountsThatRun: 'For accounts that run this installation.',
  },
  adminSignInForm: {
    checking: 'Checking…',
    logInAsAdmin: 'Log in as admin',
  },
  adminSignIn: {
    accessDenied: 'Access Denied',
    loginError: 'Login Error',
    invalidCredentials: 'Invalid credentials',
    networkError: 'Network error',
    couldNotVerifyAdmin: 'Could not verify admin privileges',
  },
  authLayout: {
    backToHome: 'Back to home',
    aboutTocsin: 'About Tocsin',
    everyAlertIsSignedLogged: 'Every alert is signed, logged and anchored.',
    entriesInTheLog: ({ size }: { size: number }) => `${size.toLocaleString(numberLocale)} entries in the log. `,
    newestAnchor: ({ at }: { at: ReactNode }) => <>Newest anchor: {at}.</>,
  },
  authPage: {
    logInToTocsin: 'Log in to Tocsin',
    createYourTocsinAccount: 'Create your Tocsin account',
    logInOrSignUp: 'Log in or sign up',
    logIn: 'Log in',
    signUp: 'Sign up',
    byContinuingYouAccept: ({ termsOfService, privacyPolicy }: { termsOfService: Around; privacyPolicy: Around }) => (
      <>
        By continuing you accept the {termsOfService('Terms of Service')} and the {privacyPolicy('Privacy Policy')}.
      </>
    ),
    youWereSignedOut: 'You were signed out',
    yourSessionWasEnded:
      'Your session was ended on another device, or its time ran out. Log in to continue where you were.',
  },
  confirmDialog: {
    confirmThatItIsYou: 'Confirm that it is you',
    thisChangesWhoCanGet:
      'What comes next is yours alone to do, not for whoever finds your session open. We ask once; it holds for ten minutes.',
    serverDidNotAnswer: 'The server did not answer.',
    tryAgain: 'Try again',
    loading: 'Loading',
    confirmWithAWallet: 'Confirm with a wallet',
    confirmWith: ({ providerNames }: { providerNames: string }) => `Confirm with ${providerNames}`,
    isNotLinked: ({ address }: { address: string }) => `${address} is not linked to your account. Choose one that is.`,
    signWithAWallet: 'Sign with a wallet that is linked to your account.',
    anotherWay: 'Another way',
  },
  confirmPasswordForm: {
    yourPassword: 'Your password could not be checked. Please try again.',
    checking: 'Checking…',
    confirm: 'Confirm',
  },
  demoMailHint: {
    emailGoesToTheDemos: 'Email goes to the demo’s outbox',
  },
  firstAdmin: {
    invalidSetupLink: 'Invalid Setup Link',
    goToAdminSignIn: 'Go to admin sign-in',
    adminCouldNotBeCreated: 'The admin could not be created. Please try again.',
    error: 'Error',
    createTheFirstAdmin: 'Create the first admin',
    thisInstallationHasNoAdmin:
      'This installation has no admin yet. The link works once; afterwards you sign in with this email and password.',
    name: 'Name',
    creatingAdmin: 'Creating admin…',
    createAdmin: 'Create admin',
  },
  forgotPasswordForm: {
    failedToSendTheReset: 'Failed to send the reset link. Please try again.',
    error: 'Error',
    checkYourEmail: 'Check your email',
    forgotPassword: 'Forgot password',
    weEmailYouALink: 'We email you a link to choose a new one. It works once, for one hour.',
    sending: 'Sending…',
    sendResetLink: 'Send reset link',
    backToLogin: 'Back to login',
  },
  formFailure: {
    validationError: 'Validation Error',
  },
  formSkeleton: {
    loading: 'Loading',
    logInOrSignUp: 'Log in or sign up',
  },
  logInForm: {
    invalidEmailOrPassword: 'Invalid email or password. Please try again.',
    emailVerificationRequired: 'Email Verification Required',
    errorOccurredDuringLogin: 'An error occurred during login. Please try again.',
    loginFailed: 'Login Failed',
    forgotPassword: 'Forgot password?',
    rememberMeFor30Days: 'Remember me for 30 days',
    loggingIn: 'Logging in…',
    logIn: 'Log in',
  },
  providerButtons: {
    orWithEmail: 'or with email',
    isNotConfigured: ({ name }: { name: string }) => `${name} is not configured`,
    logInWithYourEmail: 'Log in with your email and password, or with a wallet.',
  },
  resetPasswordForm: {
    failedToResetThePassword: 'Failed to reset the password. Please try again.',
    error: 'Error',
    chooseANewPassword: 'Choose a new password',
    itSignsYouOutEverywhere: 'It signs you out everywhere else.',
    newPassword: 'New password',
    saving: 'Saving…',
    resetPassword: 'Reset password',
    canAlsoSignIn: 'These can sign in to the account as well. Remove what is not yours.',
  },
  resetPasswordPage: {
    thisLinkHasNoReset: 'This link has no reset token. Open the link in the email again, or ask for a new one.',
    linkExpired: 'Link Expired',
    passwordReset: 'Password Reset',
    logIn: 'Log in',
    invalidResetLink: 'Invalid Reset Link',
    requestANewLink: 'Request a new link',
    checkingYourLink: 'Checking your link…',
    canStillSignIn: 'These can still sign in to the account. Log in to remove them under Settings.',
  },
  signUpForm: {
    errorOccurredDuring: 'An error occurred during registration. Please try again.',
    registrationFailed: 'Registration Failed',
    name: 'Name',
    creatingAccount: 'Creating account…',
    createAccount: 'Create account',
  },
  verificationBanner: {
    verificationEmailSent: 'Verification Email Sent',
    error: 'Error',
    failedToSend: 'Failed to send the verification email. Please try again.',
    emailVerificationRequired: 'Email Verification Required',
    sending: 'Sending…',
    resend: 'Resend',
    dismiss: 'Dismiss',
    weSentALink: ({ email }: { email: string }) => `We sent a link to ${email}. Open it to finish signing up.`,
  },
  verifyEmailPage: {
    noVerificationTokenFound: 'No verification token found',
    failedToVerifyEmail: 'Failed to verify email',
    verifyingYourEmail: 'Verifying your email...',
    emailVerified: 'Email Verified',
    logIn: 'Log in',
    linkExpired: 'Link Expired',
    goToLogin: 'Go to login',
    logInThenChooseResend: ({ message }: { message: string }) => `${message} Log in, then choose Resend.`,
    verificationFailed: 'Verification Failed',
  },
  waysInList: {
    wallet: ({ address }: { address: string }) => `Wallet ${address}`,
    remove: ({ name }: { name: string }) => `Remove ${name}`,
    linkedSince: ({ linkedAt, zone }: { linkedAt: ReactNode; zone: ReactNode }) => (
      <>
        Linked {linkedAt} {zone}
      </>
    ),
  },
  walletSignInButton: {
    connectionFailed: 'Connection Failed',
    tocsinDidNotAnswerTry: 'Tocsin did not answer. Try again.',
    lookingForWallets: 'Looking for wallets…',
    signInWithAWallet: 'Sign in with a wallet',
  },
  walletSignInDialog: {
    signInWithAWallet: 'Sign in with a wallet',
    oneFreeSignatureShows:
      'One free signature shows that it is yours. A wallet that is new here gets an account of its own.',
    signingMovesNothing: 'Signing moves nothing and costs nothing.',
    rememberMeFor30Days: 'Remember me for 30 days',
  },
}

export const accountTexts = inLanguage({ en })
