import { zodResolver } from '@hookform/resolvers/zod'
import { supportCategories } from '@tocsin/protocol'
import { useSyncExternalStore } from 'react'
import { useForm } from 'react-hook-form'
import { call, getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDismissToastsOnNavigation } from '../../ui/use-dismiss-toasts-on-navigation.ts'
import { SitePage } from './site-page.tsx'
import { categoryLabels, emptySupportForm, type SupportForm as FormValues, supportForm } from './support-message.ts'

const responseTimes = [
  ['Critical issues', '1-2 hours'],
  ['Account issues', '4-6 hours'],
  ['General questions', '24 hours'],
  ['Feature requests', '2-3 days'],
] as const

export function ContactSupportPage() {
  return (
    <SitePage kind="Contact Support" title="How can we help?" lead="Your message goes to the operator of this site.">
      <div className="mt-12 grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px] phone:mt-8">
        <Panel title="Message">
          <SupportForm />
        </Panel>
        <div className="flex flex-col gap-4">
          <Panel title="Response times" flush>
            <dl>
              {responseTimes.map(([topic, time]) => (
                <div
                  key={topic}
                  className="flex min-h-11 items-center justify-between gap-4 border-b border-line-1 px-5 text-body last:border-b-0 phone:px-4"
                >
                  <dt>{topic}</dt>
                  <dd className="text-right text-data text-2">{time}</dd>
                </div>
              ))}
            </dl>
          </Panel>
          <Panel title="Emergency contact">
            <p className="text-body">
              If money is at risk now, choose the category “Billing” and begin the subject with URGENT. Such messages
              are answered first, at any hour.
            </p>
            <p className="mt-3 text-body text-2">
              For a payment, include the transaction hash. Payments to the treasury are never lost: the server finds
              them on the chain automatically.
            </p>
          </Panel>
          <Panel title="Stay safe">
            <p className="text-body">
              We never ask for your password, seed phrase or private key, and never start a chat with you. Anyone who
              does is an impostor.
            </p>
          </Panel>
        </div>
      </div>
    </SitePage>
  )
}

/** Sends a message to the operator. The form is cleared only after the server has accepted it. */
function SupportForm() {
  useDismissToastsOnNavigation('support')
  const { register, handleSubmit, reset, formState } = useForm<FormValues>({
    resolver: zodResolver(supportForm),
    defaultValues: emptySupportForm,
  })
  const { errors, isSubmitting } = formState
  const isHydrated = useSyncExternalStore(subscribeToNothing, isInBrowser, isPrerendered)

  async function send({ category, ...textFields }: FormValues) {
    try {
      const { message } = await call('contactSupport', { body: { ...textFields, ...(category && { category }) } })
      toast({ title: 'Message Sent', description: message, variant: 'success' })
      reset()
    } catch (error) {
      const description = getErrorMessage(error, 'Your message could not be sent. Please try again.')
      toast({ title: 'Error', description, variant: 'destructive' })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(send)}>
      {/* Disabled in the prerendered page, because hydration would discard the input. */}
      <fieldset disabled={!isHydrated} className="grid gap-5 sm:grid-cols-2">
        <TextField {...register('name')} label="Name" autoComplete="name" error={errors.name?.message} />
        <TextField
          {...register('email')}
          label="Email"
          type="email"
          autoComplete="email"
          error={errors.email?.message}
          hint="We reply to this address."
        />
        <TextField {...register('subject')} label="Subject" autoComplete="off" error={errors.subject?.message} />
        <SelectField {...register('category')} label="Category" aside="Optional" error={errors.category?.message}>
          <option value="">Choose a category</option>
          {supportCategories.map((category) => (
            <option key={category} value={category}>
              {categoryLabels[category]}
            </option>
          ))}
        </SelectField>
        <TextareaField
          {...register('message')}
          label="Message"
          rows={8}
          error={errors.message?.message}
          className="sm:col-span-2"
        />
        <div className="flex flex-wrap items-center gap-4 sm:col-span-2">
          <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
            {isSubmitting ? 'Sending…' : 'Send message'}
          </Button>
          <p className="text-base text-2">Do not include passwords or keys.</p>
        </div>
        <noscript className="text-body sm:col-span-2">The form needs JavaScript.</noscript>
      </fieldset>
    </form>
  )
}

const subscribeToNothing = () => () => {}
const isInBrowser = () => true
const isPrerendered = () => false
