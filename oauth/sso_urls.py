"""The addresses of the single sign-on; names are django-allauth's."""

from django.urls import path

from oauth import sso

urlpatterns = [
    path("sso/<str:provider_id>/login", sso.start, name="openid_connect_login"),
    path("sso/<str:provider_id>/callback", sso.callback, name="openid_connect_callback"),
]
