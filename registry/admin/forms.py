"""What people say when they decide, and the forms of providers and tools."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminSplitDateTime, AutocompleteSelect
from django.core.exceptions import ValidationError

from oauth.models import Application
from registry.models import Provider, ProviderOwner, Tool
from registry.services import naming
from toolroster.errors import ReferenceInvalid
from toolroster.reference import PROVIDER_PATTERN, parse_reference

_TALL = forms.Textarea(attrs={"rows": 3, "cols": 60})


class ReasonForm(forms.Form):
    """Why: kept in the event, shown to those who use the tool."""

    reason = forms.CharField(
        max_length=1000, required=False, widget=_TALL, help_text="Providers and agents can read it."
    )


class YankForm(ReasonForm):
    """Why, and what to use instead."""

    replaced_by = forms.CharField(
        max_length=1000,
        required=False,
        help_text="What to use instead: [provider/]name[@range].",
    )

    def clean_replaced_by(self) -> str:
        """Check that it is a reference."""
        text: str = self.cleaned_data["replaced_by"].strip()
        try:
            return str(parse_reference(text)) if text else ""
        except ReferenceInvalid as error:
            raise ValidationError(error.detail) from error


class DeprecationForm(YankForm):
    """Why, until when, and what to use instead."""

    sunset_at = forms.SplitDateTimeField(
        required=False, widget=AdminSplitDateTime, help_text="When it will be retired (UTC)."
    )


class ProviderForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A new namespace; its name is part of every tool id, so it is given once."""

    name = forms.RegexField(
        regex=PROVIDER_PATTERN,
        max_length=63,
        help_text="Small letters, digits, '.', '_' and '-'. It cannot be changed later.",
    )

    class Meta:
        model = Provider
        fields = ("name", "may_be_private", "audiences")


class TransferForm(forms.Form):
    """Who is to be the only owner of a namespace."""

    to = forms.ModelChoiceField(
        queryset=Application.objects.all(),
        label="New owner",
        widget=AutocompleteSelect(ProviderOwner._meta.get_field("application"), admin.site),  # noqa: SLF001 - Django's documented name
        help_text="It alone will register, beat and deregister here. The others lose the namespace at once.",
    )


class ToolForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """The mark of the one provider that answers a bare name."""

    class Meta:
        model = Tool
        fields = ("is_default_for_name",)
        help_texts = {"is_default_for_name": "This provider answers the bare name, without a provider."}

    def clean_is_default_for_name(self) -> Any:
        """Refuse a second default; the service that saves it asks again under the same lock."""
        wanted = self.cleaned_data["is_default_for_name"]
        other = naming.other_default(self.instance)
        if wanted and other is not None:
            raise ValidationError(f"{other} is the default for this name; take its mark away first.")
        return wanted
