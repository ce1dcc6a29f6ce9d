import { zodResolver } from '@hookform/resolvers/zod'
import { supportCategories } from '@tocsin/protocol'
import { useSyncExternalStore } from 'react'
import { useForm } from 'react-hook-form'
import { call, sentenceOf } from '../../api.ts'
import { siteTexts } from '../../texts/site.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { useToastPlace } from '../../ui/use-toast-place.ts'
import { categoryLabels, emptySupportForm, supportForm, type SupportForm as Written } from './support-message.ts'

const texts = siteTexts.supportForm

/** Sends a message to the operator. What was written stays until the server has it. */
export function SupportForm() {
  useToastPlace('support')
  const { register, handleSubmit, reset, formState } = useForm<Written>({
    resolver: zodResolver(supportForm),
    defaultValues: emptySupportForm,
  })
  const { errors, isSubmitting } = formState
  const isTakenOver = useSyncExternalStore(neverChanges, isInBrowser, isDrawnBeforehand)

  async function send({ category, ...written }: Written) {
    try {
      const { message } = await call('contactSupport', { body: { ...written, ...(category && { category }) } })
      toast({ title: texts.messageSent, description: message, variant: 'success' })
      reset()
    } catch (error) {
      const description = sentenceOf(error, texts.couldNotBeSent)
      toast({ title: texts.error, description, variant: 'destructive' })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(send)}>
      {/* What is typed into the drawn page would be gone when the script takes it over. */}
      <fieldset disabled={!isTakenOver} className="grid gap-5 sm:grid-cols-2">
        <TextField {...register('name')} label={texts.name} autoComplete="name" error={errors.name?.message} />
        <TextField
          {...register('email')}
          label={texts.email}
          type="email"
          autoComplete="email"
          error={errors.email?.message}
          hint={texts.weAnswerToThisAddress}
        />
        <TextField {...register('subject')} label={texts.subject} autoComplete="off" error={errors.subject?.message} />
        <SelectField
          {...register('category')}
          label={texts.category}
          aside={texts.optional}
          error={errors.category?.message}
        >
          <option value="">{texts.chooseACategory}</option>
          {supportCategories.map((category) => (
            <option key={category} value={category}>
              {categoryLabels[category]}
            </option>
          ))}
        </SelectField>
        <TextareaField
          {...register('message')}
          label={texts.message}
          rows={8}
          error={errors.message?.message}
          className="sm:col-span-2"
        />
        <div className="flex flex-wrap items-center gap-4 sm:col-span-2">
          <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
            {isSubmitting ? texts.sending : texts.sendMessage}
          </Button>
          <p className="text-base text-2">{texts.neverWritePasswordsOrKeys}</p>
        </div>
        <noscript className="text-body sm:col-span-2">{texts.formNeedsJavascript}</noscript>
      </fieldset>
    </form>
  )
}

const neverChanges = () => () => {}
const isInBrowser = () => true
const isDrawnBeforehand = () => false
