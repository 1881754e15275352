import os
def test_x():
    from django.conf import settings
    print(settings.HOME, os.environ["TOOLROSTER_HOME"])
