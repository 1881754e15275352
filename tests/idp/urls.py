"""The addresses of the company's provider."""

from django.contrib.auth.views import LoginView
from django.urls import include, path

urlpatterns = [
    path("login", LoginView.as_view()),
    path("", include("oauth2_provider.urls")),
]
